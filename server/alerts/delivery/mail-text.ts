import type { AlertMessage, AlertView } from '#contracts/alert.contract.ts'
import { type AlertLanguage, RULE_TITLES } from '#domain/alert/alert-words.ts'
import { MAIL_WORDS } from './mail-words.ts'

/** Subject and text of the e-mail about an alert, in the language of the installation: a mailbox has made no choice of its own. */
export function mailText(
  { incident, eventType, url }: AlertMessage,
  language: AlertLanguage,
): { subject: string; text: string } {
  const words = MAIL_WORDS[language]
  if (!incident || eventType === 'incident.test')
    return { subject: `[Garden Bloom] ${words.test.subject}`, text: `${words.test.text}\n\n${url}\n` }
  const title = RULE_TITLES[language][incident.rule]
  const state = words.states[eventType]
  const measured = (value: number) => measure(value, incident.unit, language)
  const lines = [
    `${title} (${words.severities[incident.severity]}): ${state}.`,
    '',
    `${words.measured[incident.condition]}: ${measured(incident.value)}`,
    `${words.threshold}: ${incident.threshold.comparison} ${measured(incident.threshold.value)}`,
    `${words.resource}: ${incident.resource}`,
    `${words.opened}: ${incident.opened_at}`,
    ...(incident.closed_at ? [`${words.closed}: ${incident.closed_at}`] : []),
    '',
    url,
    '',
  ]
  return { subject: `[Garden Bloom] ${title}: ${state}`, text: lines.join('\n') }
}

/** A value as people read it. */
function measure(value: number, unit: AlertView['unit'], language: AlertLanguage): string {
  const { seconds, inARow, budget } = MAIL_WORDS[language]
  const oneDigit = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
  if (unit === 'share') return `${oneDigit.format(value * 100)} %`
  if (unit === 'budget') return `${oneDigit.format(value)} ${budget}`
  if (unit === 'seconds') return `${Math.max(0, Math.round(value))} ${seconds}`
  return unit === 'in_a_row' ? `${value} ${inARow}` : String(value)
}
