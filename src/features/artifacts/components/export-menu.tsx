'use client'
import { useLocale, useTranslations } from 'use-intl/react'
import type { EXPORT_FORMATS } from '#contracts/artifact.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { saveFile } from '#lib/save-file.ts'
import { useSession } from '#lib/session.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { buttonClass } from '#ui/button-class.ts'
import { Icon } from '#ui/icon.tsx'
import { Menu, type MenuItem } from '#ui/menu.tsx'

type Format = (typeof EXPORT_FORMATS)[number]

/** The artifact as a file: Markdown, the stored JSON (not for guests, who do not see its job), or on paper. */
export function ExportMenu({ id }: { id: string }) {
  const t = useTranslations('artifacts')
  const lang = useLocale()
  const guest = useSession().role === 'guest'
  const saving = useToastMutation({
    mutationFn: (format: Format) => saveFile(`/api/v1/artifacts/${id}/export?format=${format}&lang=${lang}`),
  })
  const save = (format: Format) => () => saving.mutate(format)
  const items: MenuItem[] = [
    { id: 'md', label: t('exportMarkdown'), icon: <Icon name="file-text" />, run: save('md') },
    ...(guest
      ? []
      : [{ id: 'json', label: t('exportJson'), icon: <Icon name="braces" />, run: save('json') }]),
    { id: 'print', label: t('print'), icon: <Icon name="printer" />, run: () => window.print() },
  ]
  useAction({ id: 'artifacts.export', label: t('exportMarkdown'), group: t('title'), run: save('md') })
  return (
    <Menu label={t('export')} className={buttonClass('secondary')} items={items}>
      <Icon name="download" className="size-4" />
      {t('export')}
    </Menu>
  )
}
