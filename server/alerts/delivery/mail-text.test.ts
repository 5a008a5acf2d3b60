import { describe, expect, it } from 'vitest'
import type { AlertMessage, AlertView } from '#contracts/alert.contract.ts'
import { ALERT_LANGUAGES, RULE_TITLES } from '#domain/alert/alert-words.ts'
import { CONDITION_NAMES, CONDITIONS } from '#domain/alert/conditions.ts'
import { mailText } from './mail-text.ts'

const URL = 'https://garden.example.org/alerts/alert-1'
const ALERT: AlertView = {
  ...{ alert_id: 'alert-1', status: 'open', rule: 'StorageFull', resource: 'disk', severity: 'critical' },
  ...{ condition: 'storage_used', unit: 'share', value: 0.9125, samples: null, note: null },
  ...{ threshold: { comparison: '>', value: 0.8 }, closes: { comparison: '<', value: 0.75 } },
  ...{ read_at: '2026-03-02T09:00:00.000Z', opened_at: '2026-03-02T09:00:00.000Z', escalated_at: null },
  ...{ acknowledged_at: null, acknowledged_by: null, closed_at: null },
}
const message = (eventType: AlertMessage['eventType'], incident: Partial<AlertView> | null) =>
  ({ eventType, incident: incident && { ...ALERT, ...incident }, url: URL }) as AlertMessage

const CYRILLIC = /\p{Script=Cyrillic}/u

describe('the e-mail about an alert', () => {
  it('is in English', () => {
    expect(mailText(message('incident.opened', {}), 'en')).toEqual({
      subject: '[Garden Bloom] Disk filling up: opened',
      text: `Disk filling up (critical): opened.\n\nDisk used: 91.3 %\nThreshold: > 80.0 %\nResource: disk\nOpened: 2026-03-02T09:00:00.000Z\n\n${URL}\n`,
    })
  })

  it('is in Ukrainian', () => {
    const closed = message('incident.resolved', { closed_at: '2026-03-02T10:00:00.000Z' })
    expect(mailText(closed, 'uk')).toEqual({
      subject: '[Garden Bloom] Диск заповнюється: закрито',
      text: `Диск заповнюється (критичне): закрито.\n\nВикористано диска: 91,3 %\nПоріг: > 80,0 %\nРесурс: disk\nВідкрито: 2026-03-02T09:00:00.000Z\nЗакрито: 2026-03-02T10:00:00.000Z\n\n${URL}\n`,
    })
  })

  it.each(ALERT_LANGUAGES)('has the words of every condition and of a test: %s', (language) => {
    for (const condition of CONDITION_NAMES) {
      const { rule, unit } = CONDITIONS[condition]
      const { subject, text } = mailText(message('incident.escalated', { rule, condition, unit }), language)
      expect(subject).toContain(RULE_TITLES[language][rule])
      for (const line of text.split('\n').slice(0, 4).filter(Boolean))
        expect([line, CYRILLIC.test(line)]).toEqual([line, language === 'uk'])
    }
    const test = mailText(message('incident.test', null), language)
    expect([CYRILLIC.test(test.subject), CYRILLIC.test(test.text)]).toEqual(Array(2).fill(language === 'uk'))
    expect(test.text).toContain(URL)
  })
})
