// What would move the page waits while a pointer is pressed, or moves over what must hold still: a
// button that moves between press and release is not clicked at all, and one that moves before is another.

type Then = () => void;

export class PointerHold {
  private pressed = false;
  private hovers = false;
  private waiting: Then[] = [];

  /** `later` runs something after the click that follows a release. */
  constructor(private readonly later: (then: Then) => void) {}

  press(button: number): void {
    if (button === 0) this.pressed = true;
  }

  release(): void {
    if (!this.pressed) return;
    this.pressed = false;
    this.go();
  }

  /** A release outside of the window is not always told: a move without a button tells it. */
  move(buttons: number): void {
    if (buttons === 0) this.release();
  }

  /** The pointer moves over what must hold still, until it rests. */
  hover(): void {
    this.hovers = true;
  }

  rest(): void {
    if (!this.hovers) return;
    this.hovers = false;
    this.go();
  }

  run(then: Then): void {
    if (this.pressed || this.hovers) this.waiting.push(then);
    else then();
  }

  private go(): void {
    if (this.pressed || this.hovers) return;
    const now = this.waiting;
    this.waiting = [];
    this.later(() => {
      for (const then of now) then();
    });
  }
}
