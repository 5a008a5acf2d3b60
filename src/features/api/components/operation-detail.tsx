'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useCopy } from '#lib/use-copy.ts'
import type { ApiField } from '#server/http/api-fields.ts'
import type { ApiCallers, ApiOperation } from '#server/http/api-reference.ts'
import { Button } from '#ui/button.tsx'
import { FieldList } from '#ui/field-list.tsx'
import { Icon } from '#ui/icon.tsx'
import { ScrollBox } from '#ui/scroll-box.tsx'
import { Section } from '#ui/section.tsx'
import { Method } from './method.tsx'

/** One operation: who may call it, an example to copy, its fields and those of its answer. */
export function OperationDetail({ operation }: { operation: ApiOperation }) {
  const t = useTranslations('api')
  const where = { path: t('inPath'), query: t('inQuery') }
  const parameters = operation.parameters.map((one) => ({ ...one, name: `${one.name} (${where[one.in]})` }))
  return (
    <article>
      <h2 className="flex flex-wrap items-baseline gap-x-3 text-lg font-semibold">
        <Method method={operation.method} />
        <span className="min-w-0 break-words font-mono text-md">{operation.path}</span>
      </h2>
      <p className="mb-4 mt-1 text-base text-ink-2">{operation.summary}.</p>
      <FieldList rows={[{ label: t('callers'), value: <Callers callers={operation.callers} /> }]} />
      <Example key={operation.address} text={operation.example} />
      {parameters.length > 0 ? <Fields title={t('parameters')} fields={parameters} /> : null}
      {operation.body.length > 0 ? <Fields title={t('body')} fields={operation.body} /> : null}
      <Fields title={t('answer', { status: operation.status })} fields={operation.answer} />
      <p className="mt-4 text-sm text-ink-3">{t('errors')}</p>
    </article>
  )
}

function Callers({ callers: { roles, key, stepUp } }: { callers: ApiCallers }) {
  const t = useTranslations('api')
  if (key) return t('key')
  if (roles.length === 0) return t('anybody')
  const names = roles.map((role) => t(`roles.${role}`)).join(', ')
  return stepUp ? `${names} (${t('stepUp')})` : names
}

function Example({ text }: { text: string }) {
  const t = useTranslations('api')
  const [copied, setCopied] = useState(false)
  const toClipboard = useCopy()
  const copy = () => toClipboard(text, () => setCopied(true))
  const icon = copied ? 'check' : 'copy'
  return (
    <Section
      title={t('example')}
      actions={
        <Button size="sm" kind="quiet" icon={<Icon name={icon} className="size-3.5" />} onClick={copy}>
          {copied ? t('copied') : t('copy')}
        </Button>
      }
    >
      <ScrollBox label={t('example')} className="bg-sunken px-3 py-2">
        <pre className="font-mono text-sm leading-6 text-ink">{text}</pre>
      </ScrollBox>
    </Section>
  )
}

const CELL = 'border-t border-line py-1.5 pr-4 align-top'

function Fields({ title, fields }: { title: string; fields: readonly ApiField[] }) {
  const t = useTranslations('api')
  if (fields.length === 0) return <Section title={title}>{t('noFields')}</Section>
  return (
    <Section title={title}>
      <ScrollBox label={title}>
        <table className="w-full min-w-[34rem] text-left text-sm">
          <thead className="text-ink-3">
            <tr>
              <th className="py-1 pr-4 font-medium">{t('name')}</th>
              <th className="py-1 pr-4 font-medium">{t('type')}</th>
              <th className="py-1 font-medium">{t('limits')}</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field.name}>
                <td className={`${CELL} font-mono text-ink`}>
                  {field.name}
                  {field.required ? <span className="ml-2 font-sans text-ink-3">{t('required')}</span> : null}
                </td>
                <td className={`${CELL} break-words font-mono text-ink-2`}>{field.type}</td>
                <td className={`${CELL} break-words text-ink-3`}>{field.limits}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </Section>
  )
}
