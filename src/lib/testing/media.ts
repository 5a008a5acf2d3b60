import { cdp } from 'vitest/browser'

/** Has the browser draw the page for `print`, or for the screen again (`''`). */
export const media = (name: 'print' | '') =>
  (cdp() as unknown as { send: (method: string, given: object) => Promise<unknown> }).send(
    'Emulation.setEmulatedMedia',
    { media: name },
  )
