'use client'
import { useTranslations } from 'use-intl/react'
import { Checkbox, SelectField, TextArea, TextField } from '#ui/fields.tsx'
import {
  ASKING_TASKS,
  EVENTS,
  type Fields,
  fieldsOf,
  hasTasks,
  MODELS,
  TASKS,
  withField,
} from '../definition-text.ts'

type Props = { text: string; onChange: (text: string) => void; create: boolean }

/** The main fields of a definition; each writes its own lines of the text. */
export function DefinitionForm({ text, onChange, create }: Props) {
  const t = useTranslations('agents')
  const fields = fieldsOf(text)
  const set = <K extends keyof Fields>(key: K, value: Fields[K]) => onChange(withField(text, key, value))
  return (
    <>
      <TextField
        label={t('name')}
        value={fields.name}
        onChange={(name) => {
          const follows = create && fields.slug === slugOf(fields.name)
          const named = withField(text, 'name', name)
          onChange(follows ? withField(named, 'slug', slugOf(name)) : named)
        }}
        required
        autoFocus
        maxLength={100}
      />
      {create ? (
        <TextField
          label={t('slug')}
          hint={t('slugHint')}
          value={fields.slug}
          onChange={(slug) => set('slug', slug.trim())}
          required
          mono
          maxLength={64}
        />
      ) : (
        <TextField
          label={t('version')}
          value={fields.version}
          onChange={(version) => set('version', version.trim())}
          required
          mono
        />
      )}
      <TextField
        label={t('description')}
        value={fields.description}
        onChange={(description) => set('description', description)}
        required
        maxLength={300}
      />
      <SelectField
        label={t('model')}
        hint={t('modelHint')}
        value={fields.model}
        onChange={(model) => set('model', model)}
        options={[
          { value: 'extractive', label: t('models.extractive') },
          { value: 'worker/*', label: t('models.worker') },
          ...(MODELS.some((model) => model === fields.model)
            ? []
            : [{ value: fields.model, label: fields.model }]),
        ]}
      />
      {hasTasks(fields.model) ? (
        <SelectField
          label={t('task')}
          hint={t('taskHint')}
          value={fields.task}
          onChange={(task) => set('task', task)}
          options={[
            { value: '', label: t('tasks.prose') },
            ...TASKS.map((task) => ({ value: task, label: t(`tasks.${task}`) })),
          ]}
        />
      ) : null}
      <TextArea
        label={t('instructions')}
        hint={t('instructionsHint')}
        value={fields.body}
        onChange={(body) => set('body', body)}
        rows={6}
      />
      {ASKING_TASKS.includes(fields.task) ? (
        <Checkbox
          label={t('asks')}
          hint={t('asksHint')}
          checked={fields.asks}
          onChange={(on) => set('asks', on)}
        />
      ) : null}
      <div className="mt-3 grid gap-x-4 sm:grid-cols-2 [&>*]:mt-0 max-sm:[&>*+*]:mt-3">
        <TextField
          label={t('schedule')}
          hint={t('scheduleHint')}
          value={fields.cron}
          onChange={(cron) => set('cron', cron)}
          placeholder="0 7 * * 1-5"
          mono
        />
        <TextField
          label={t('zone')}
          hint={t('zoneHint')}
          value={fields.zone}
          onChange={(zone) => set('zone', zone.trim())}
          placeholder={Intl.DateTimeFormat().resolvedOptions().timeZone}
          mono
        />
      </div>
      <fieldset className="mt-3">
        <legend className="mb-1 text-sm font-medium text-ink">{t('events')}</legend>
        {EVENTS.map((event) => (
          <Checkbox
            key={event}
            label={t(`event.${event}`)}
            checked={fields.events.includes(event)}
            onChange={(on) =>
              set('events', on ? [...fields.events, event] : fields.events.filter((e) => e !== event))
            }
          />
        ))}
      </fieldset>
    </>
  )
}

/** The name as a folder: what is left of it in lower-case Latin letters. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
