// What would move the page waits while a pointer is pressed: a button that moves between press and
// release is not clicked at all.

type Then = () => void;

export class PointerHold {
  private pressed = false;
  private waiting: Then[] = [];

  /** `later` runs something after the click that follows a release. */
  constructor(private readonly later: (then: Then) => void) {}

  press(button: number): void {
    if (button === 0) this.pressed = true;
  }

  release(): void {
    if (!this.pressed) return;
    this.pressed = false;
    const now = this.waiting;
    this.waiting = [];
    this.later(() => {
      for (const then of now) then();
    });
  }

  /** A release outside of the window is not always told: a move without a button tells it. */
  move(buttons: number): void {
    if (buttons === 0) this.release();
  }

  run(then: Then): void {
    if (this.pressed) this.waiting.push(then);
    else then();
  }
}
