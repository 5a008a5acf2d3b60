import type { ChannelEnv } from './channels.ts'
import type { Senders } from './deliver-due.ts'
import { emailSender } from './send-email.ts'
import { webhookSender } from './send-webhook.ts'

/** The senders of the configured channels; `close` ends their connections. */
export function openSenders(env: ChannelEnv): { senders: Senders; close(): Promise<void> } {
  const [webhook, email] = [webhookSender(env), emailSender(env)]
  return {
    senders: { ...(webhook ? { webhook: webhook.send } : {}), ...(email ? { email: email.send } : {}) },
    close: async () => webhook?.close(),
  }
}
