// The site around the recipe: a title, a search and a sidebar.
import recipe from "./recipe.mjs";

export default {
  ...recipe,
  title: "A book",
  themeConfig: {
    search: { provider: "local" },
    sidebar: ["Home", "Sampling", "Stopping"].map(text => ({
      text,
      link: text === "Home" ? "/" : `/${text.toLowerCase()}`,
    })),
  },
};
