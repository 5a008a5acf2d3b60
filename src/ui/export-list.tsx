'use client'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { useLiveState } from '#lib/live.tsx'
import { saveFile } from '#lib/save-file.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { buttonClass } from './button-class.ts'
import { Icon } from './icon.tsx'
import { Menu, type MenuItem } from './menu.tsx'

const FORMATS = ['csv', 'jsonl'] as const
const ICONS = { csv: 'table', jsonl: 'braces' } as const

type Props = {
  /** The address of the list below `/api/v1/`. */
  list: string
  /** The filter on screen, as the list's own request has it. */
  filter: Readonly<Record<string, unknown>>
}

/** Saves what the list holds by its filter, in its order, as a file: all rows, not only those that are loaded. */
export function ExportList({ list, filter }: Props) {
  const t = useTranslations('ui')
  const offline = useLiveState() === 'offline'
  const saving = useToastMutation({
    mutationFn: (format: (typeof FORMATS)[number]) =>
      saveFile(`/api/v1/${list}/export?${searchOf({ ...filter, format })}`),
  })
  const off = offline ? { disabledReason: t('offline') } : {}
  const items: MenuItem[] = FORMATS.map((format) => {
    const icon = ICONS[format]
    return {
      id: format,
      label: t(`exportAs.${format}`),
      icon: <Icon name={icon} />,
      run: () => saving.mutate(format),
      ...off,
    }
  })
  useAction({
    id: 'list.export',
    label: `${t('exportList')}: ${t('exportAs.csv')}`,
    run: () => saving.mutate('csv'),
    ...off,
  })
  return (
    <Menu label={t('exportList')} className={buttonClass('quiet', 'sm')} items={items}>
      <Icon name="download" className="size-3.5" />
      {t('exportList')}
    </Menu>
  )
}

/** A list of values is a name given several times; the place in the list is not part of its filter. */
function searchOf(filter: Readonly<Record<string, unknown>>): URLSearchParams {
  const { cursor: _, limit: __, ...asked } = filter
  const pairs = Object.entries(asked).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((one) =>
      one === undefined || one === null ? [] : [[name, String(one)]],
    ),
  )
  return new URLSearchParams(pairs)
}
