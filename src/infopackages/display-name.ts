type Json = Readonly<Record<string, unknown>>;

const longestName = 100;

/**
 * What a QR code says of a package before it is opened: the content's own `display_name`, the name of the group that it
 * invites to, or the name of the default persona of an identity; else nothing. At most 100 characters.
 */
export function displayNameOf(content: Json): string {
  const persona = defaultPersona(content);
  const candidates = [content["display_name"], content["group_name"], persona["display_name"], persona["name"]];
  const name = candidates.find((candidate) => typeof candidate === "string" && candidate !== "");
  return typeof name === "string" ? [...name].slice(0, longestName).join("") : "";
}

function defaultPersona(content: Json): Json {
  const { default_persona: id, personas } = content;
  if (!isObject(personas) || typeof id !== "string" || !Object.hasOwn(personas, id)) return {};
  const persona = personas[id];
  return isObject(persona) ? persona : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
