// Runs before the first paint: says that there is JavaScript, and settles the theme "auto".
// The server has set data-bs-theme already if the reader chose light or dark.
(() => {
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  root.classList.add("js");

  const settle = () => {
    const choice = root.dataset.themeChoice;
    const chosen = choice === "light" || choice === "dark" ? choice : dark.matches ? "dark" : "light";
    root.dataset.bsTheme = chosen;
  };
  settle();
  dark.addEventListener("change", settle);
  document.addEventListener("theme:choose", settle);
})();
