import type {} from 'use-intl/core'
import type { messages } from './messages.ts'

type Shared = typeof messages.en

/**
 * The keys `useTranslations` accepts. A room adds its own beside its messages:
 * `declare module '#lib/i18n/types.ts' { interface AllMessages { jobs: typeof messages.en } }`.
 */
export interface AllMessages {
  ui: Shared['ui']
  live: Shared['live']
  errors: Shared['errors']
}

declare module 'use-intl/core' {
  interface AppConfig {
    Messages: AllMessages
    Locale: import('./locales.ts').Locale
  }
}
