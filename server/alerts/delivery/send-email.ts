import nodemailer from 'nodemailer'
import { outcomeOfReply } from '#domain/alert/delivery.rules.ts'
import { OutboundRefused } from '#server/outbound/guarded-fetch.ts'
import { resolveHost } from '#server/outbound/resolve-host.ts'
import { type ChannelEnv, senderOf } from './channels.ts'
import type { Send } from './deliver-due.ts'
import { mailText } from './mail-text.ts'

const TIMEOUT_MS = 10_000
const PORTS = { 'smtp:': 25, 'smtps:': 465 } as const
const LOOPBACK = /^(localhost|127\.0\.0\.1|::1)$/

/**
 * Sends a message by e-mail over the configured SMTP server. Its name is looked up under the rules for outgoing requests, and the client connects
 * to that address alone. A password goes over TLS only, except to this machine. The Message-ID is that of the delivery, with every repeat.
 */
export function emailSender(env: ChannelEnv): { send: Send } | null {
  if (!env.SMTP_URL) return null
  const url = new URL(env.SMTP_URL)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const send: Send = async (delivery) => {
    try {
      const transport = nodemailer.createTransport(await transportTo(url, host, env.ALERT_ADDRESSES))
      const from = senderOf(env)
      await transport.sendMail({
        from: { name: 'Garden Bloom', address: from },
        to: [...env.ALERT_EMAIL_TO],
        messageId: `<${delivery.delivery_id}@${from.split('@')[1]}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...mailText(delivery.body, env.ALERT_LANGUAGE),
      })
      return { kind: 'delivered' }
    } catch (error) {
      return outcomeOf(error, host)
    }
  }
  return { send }
}

async function transportTo(url: URL, host: string, addresses: readonly string[]) {
  const { protocol, username, password, port } = url
  const named = /[a-z]/i.test(host) && !host.includes(':')
  return {
    host: await resolveHost(host, { addresses }),
    port: port ? Number(port) : PORTS[protocol as keyof typeof PORTS],
    secure: protocol === 'smtps:',
    requireTLS: username !== '' && !LOOPBACK.test(host),
    tls: named ? { servername: host } : {},
    ...(username ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } } : {}),
    ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  }
}

function outcomeOf(error: unknown, host: string) {
  if (error instanceof OutboundRefused) return { kind: 'refused', message: error.message } as const
  const { responseCode, code } = error as { responseCode?: number; code?: string }
  if (responseCode !== undefined) return outcomeOfReply(responseCode, `${host} answered ${responseCode}.`)
  return outcomeOfReply(undefined, `${host} did not take the message (${code ?? 'no answer'}).`)
}
