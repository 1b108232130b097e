// Vite puts an imported style sheet in the page.
declare module "*.css";
