// The theme of the page, as long as it lasts.

import { useEffect, useState } from "react";

export function useTheme(): "light" | "dark" {
  const read = (): "light" | "dark" => (document.documentElement.dataset.bsTheme === "dark" ? "dark" : "light");
  const [theme, setTheme] = useState(read);
  useEffect(() => {
    const watch = new MutationObserver(() => setTheme(read()));
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-bs-theme"] });
    return () => watch.disconnect();
  }, []);
  return theme;
}
