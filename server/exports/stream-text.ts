/**
 * A stream of these texts, which reads on only when the receiver has taken what came before. When the receiver goes away, `gone` is called at
 * once: a generator that is at work hears of it only at its next text.
 */
export function streamText(texts: AsyncGenerator<string>, gone = () => {}): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => {
      gone()
      await texts.return(undefined)
    },
  })
}
