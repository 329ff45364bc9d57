// The menu of the laboratories.

import { $ } from "./parts.js";

export function wireLabs() {
  const menu = $("labs");
  menu.addEventListener("toggle", () => {
    const box = $("open-labs").getBoundingClientRect();
    Object.assign(menu.style, { left: `${box.left}px`, top: `${box.bottom + 4}px` });
  });
  // The menu has done its work when a laboratory opens.
  menu.addEventListener("click", () => menu.hidePopover());
}
