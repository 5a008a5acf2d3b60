/**
 * A question that somebody deep in the page asks and the shell's one dialog answers. Whoever needs the answer at the same time
 * shares it; without a dialog the answer is no.
 */
export type Question = {
  /** True while the dialog is open. */
  isAsked: () => boolean
  /** Where the dialog listens; only one does. */
  subscribe: (onChange: () => void) => () => void
  /** Resolves when the dialog is answered or closed. */
  request: () => Promise<boolean>
  /** Closes the dialog: `given` tells whether it was answered. */
  settle: (given: boolean) => void
}

type Open = { answer: Promise<boolean>; settle: (given: boolean) => void }

export function makeQuestion(): Question {
  let open: Open | null = null
  let listener: (() => void) | null = null
  const request = (): Promise<boolean> => {
    if (!listener) return Promise.resolve(false)
    if (open) return open.answer
    const { promise: answer, resolve: settle } = Promise.withResolvers<boolean>()
    open = { answer, settle }
    listener()
    return answer
  }
  return {
    request,
    isAsked: () => open !== null,
    subscribe: (onChange) => {
      listener = onChange
      return () => {
        listener = null
      }
    },
    settle: (given) => {
      const asked = open
      open = null
      listener?.()
      asked?.settle(given)
    },
  }
}
