/** Keeps the next answer to a procedure on its way: `sent` is fulfilled once the server has answered, and the page has the answer from `arrive` on. */
export function delayAnswer(procedure: string): { sent: Promise<void>; arrive: () => void } {
  const answering = window.fetch
  const sent = Promise.withResolvers<void>()
  const arrival = Promise.withResolvers<void>()
  window.fetch = async (...request) => {
    const answer = await answering(...request)
    if (!String(request[0]).includes(procedure)) return answer
    window.fetch = answering
    sent.resolve()
    await arrival.promise
    return answer
  }
  return { sent: sent.promise, arrive: arrival.resolve }
}
