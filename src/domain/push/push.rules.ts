import type { Action } from '../authority/matrix.ts'

/** What a device can be notified of, with the right that makes it a person's business ([push#topics]). Any of several rights is enough. */
export const PUSH_TOPICS = {
  high_risk: ['proposal.decide'],
  expiring: ['proposal.decide'],
  question: ['question.answer'],
  failed: ['proposal.retry', 'agent.change', 'job.operate'],
  digest: ['inbox.read'],
} as const satisfies Record<string, readonly Action[]>
export type PushTopic = keyof typeof PUSH_TOPICS
export const PUSH_TOPIC_NAMES = Object.keys(PUSH_TOPICS) as [PushTopic, ...PushTopic[]]

/** What a message is about: a topic, or a person's own test. */
export const MESSAGE_TOPICS = [...PUSH_TOPIC_NAMES, 'test'] as const
export type MessageTopic = (typeof MESSAGE_TOPICS)[number]

/** The languages of the console, as devices have them. */
export const PUSH_LANGUAGES = ['en', 'uk'] as const
export type PushLanguage = (typeof PUSH_LANGUAGES)[number]

/** Devices of one account. */
export const MAX_DEVICES = 10
/** After a message of a topic the next one of an account waits so long, and carries what gathered meanwhile. */
export const QUIET_SECONDS = 60
/** A message names so many things at most; the rest are counted. */
export const MAX_SUBJECTS = 200

/** Messages that have ended, and notices of what no longer waits, are kept so long. */
export const PUSH_KEPT_DAYS = 30

/** Why a device was removed ([push-devices#devices]). */
export type DeviceRemoval =
  | 'by_hand'
  | 'signed_out'
  | 'account_changed'
  | 'other_account'
  | 'gone'
  | 'other_key'

export type PushChoices = {
  topics: PushTopic[]
  /** Whether Needs you shows a digest each day. */
  digest: boolean
  /** Minutes after midnight in the time zone. */
  digest_at: number
  time_zone: string
}

/** What holds until a person chooses; the time zone is that of the machine. */
export const DEFAULT_CHOICES: Omit<PushChoices, 'time_zone'> = {
  topics: ['high_risk', 'expiring', 'question', 'failed'],
  digest: true,
  digest_at: 8 * 60,
}

/** Whether the runtime knows the name of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
