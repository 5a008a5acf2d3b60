/** What the page asks of the control plane. The key lives in this module, and in the tab's session storage when the reader wants that; it leaves in a header alone. */
const KEPT_KEY = 'membridge-admin-key'

let key = sessionStorage.getItem(KEPT_KEY)

export const hasKey = () => key !== null

export function takeKey(given, keep) {
  key = given
  if (keep) sessionStorage.setItem(KEPT_KEY, given)
  else sessionStorage.removeItem(KEPT_KEY)
}

export function forgetKey() {
  key = null
  sessionStorage.removeItem(KEPT_KEY)
}

/** Any other text cannot stand in a header. */
export const canBeKey = (text) => /^[\x21-\x7e]{1,512}$/.test(text)

/** `{status, body}`; 0 when the control plane does not answer. An old answer of a key that was forgotten meanwhile counts as none. */
export async function ask(method, path, body) {
  const asked = key
  const headers = { 'x-membridge-admin': key ?? '', 'content-type': 'application/json' }
  try {
    const answer = await fetch(path, {
      ...{ method, headers, cache: 'no-store', credentials: 'omit', redirect: 'error' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const read = answer.status === 204 ? null : await answer.json().catch(() => null)
    return asked === key ? { status: answer.status, body: read } : { status: 0, body: null }
  } catch {
    return { status: 0, body: null }
  }
}

/** What a refusal says, in one line. */
export function detailOf({ status, body }) {
  const detail = body?.detail
  if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${loc?.at(-1)}: ${msg}`).join('; ')
  return typeof detail === 'string' ? detail : `HTTP ${status}`
}
