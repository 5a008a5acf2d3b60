/**
 * When a call to a control plane is made once more [runtime#control-plane]: only where the other side failed or was not reached, three times at most,
 * after 500 ms, 1 s and 2 s, each up to 30 % longer so that callers do not come together.
 */
export const CALL_REPEATS = 3

const FIRST_MS = 500
const SPREAD = 0.3

/** @param random between 0 and 1 */
export const repeatDelayMs = (repeat: number, random: number): number =>
  Math.round(FIRST_MS * 2 ** repeat * (1 + SPREAD * random))

/** Whether an answer of this status may be another one later; a refusal stays one. */
export const mayRepeat = (status: number): boolean => status >= 500
