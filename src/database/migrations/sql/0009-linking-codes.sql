-- The short code of an address, with the text of the QR code that it stands for.

alter table provisioning_addresses
  add column code text collate "C" unique,
  add column qr text,
  add check ((code is null) = (qr is null));
