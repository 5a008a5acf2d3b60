import { messages } from '#features/shell/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { buttonClass } from '#ui/button-class.ts'
import { EmptyState } from '#ui/empty-state.tsx'

/** An address outside the console. It is part of the first load of every page, so it is drawn on the server alone. */
export default async function NotFound() {
  const t = await serverTranslations(messages)
  const home = (
    <a href="/" className={buttonClass()}>
      {t('goHome')}
    </a>
  )
  return (
    <EmptyState title={t('notFound')} action={home}>
      {t('notFoundText')}
    </EmptyState>
  )
}
