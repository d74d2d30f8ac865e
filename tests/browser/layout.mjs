// What an element's parts take of its width, for tests of layout.

/** Parts that end to the right of the element, a table to the right of its section; what scrolls inside may. */
export const sticksOut = host =>
  host.evaluate(async element => {
    // a new width is measured in one frame and drawn in the next
    for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
    const lab = element.shadowRoot.querySelector(".lab"),
      right = part => part.getBoundingClientRect().right;
    return [...lab.querySelectorAll("*")]
      .filter(
        part =>
          part.checkVisibility() &&
          !part.closest(".scroller, .slider, .vh") &&
          right(part) > right((part.localName === "table" && part.closest("section")) || lab) + 0.5,
      )
      .map(part => part.className || part.localName);
  });
