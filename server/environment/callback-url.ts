type Addresses = {
  NLM_CALLBACK_URL?: string | undefined
  NLM_CALLBACK_ORIGIN?: string | undefined
  NLM_URL?: string | undefined
  MEMBRIDGE_URL?: string | undefined
}

/**
 * Under which address the NotebookLM Backend reports [jobs#I-C6]: the control plane, or the gateway's alias of it where only that can be meant.
 * A backend that was told to call the gateway takes no other address, and one on another machine does not reach a control plane that
 * nobody gave an address.
 */
export function callbackUrlOf(given: Addresses, own: { gateway: string; membridge: string }): string {
  if (given.NLM_CALLBACK_URL) return given.NLM_CALLBACK_URL
  const gateway = new URL(own.gateway).origin
  const outside = given.NLM_URL !== undefined && given.MEMBRIDGE_URL === undefined
  const named = given.NLM_CALLBACK_ORIGIN ?? (outside ? gateway : undefined)
  return named === gateway ? `${own.gateway}/api/v1` : own.membridge
}
