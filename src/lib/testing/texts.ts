import { createTranslator } from 'use-intl/core'
import { messagesOf } from '#features/shell/room-messages.ts'
import type { AllMessages } from '../i18n/types.ts'

/** What a room says in English, so that a test finds things by their message and not by a copy of its words. */
export const textsOf = <Room extends keyof AllMessages>(namespace: Room) =>
  createTranslator({ locale: 'en', messages: messagesOf('en') as unknown as AllMessages, namespace })

/** Every message in English, as the pages are given them. */
export const englishMessages = (): Record<string, unknown> => messagesOf('en')
