import { z } from 'zod'

/** Where an agent is reached: paths are put behind it, so it has neither a query nor credentials. */
export const agentUrl = z
  .string()
  .trim()
  .max(2_048)
  .refine(isAgentUrl, 'must be an http or https address without credentials, query or fragment')
  .transform((url) => url.replace(/\/+$/, ''))

function isAgentUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#\s]/.test(text)
}
