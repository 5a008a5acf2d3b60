'use client'
import { useTimeZone, useTranslations } from 'use-intl/react'
import type { PushSettings } from '#contracts/push.contract.ts'
import type { PushTopic } from '#domain/push/push.rules.ts'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Checkbox, SelectField } from '#ui/fields.tsx'

type Props = { settings: PushSettings; again: () => Promise<void> }
type Choices = PushSettings['choices']

const HALF_HOURS = Array.from({ length: 48 }, (_, n) => n * 30)
const clockOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** What the reader is notified of, on which devices ever, and when the digest comes; each choice is saved at once. */
export function Choices({ settings: { choices, topics }, again }: Props) {
  const t = useTranslations('push')
  const trpc = useTRPC()
  const zone = useTimeZone() ?? choices.time_zone
  const no = useRight('push.own')
  const save = useToastMutation(trpc.push.choose.mutationOptions({ onSettled: again }), {
    done: () => t('saved'),
  })
  // What is being saved shows at once; a refusal brings back what holds.
  const shown: Choices = save.isPending ? save.variables : choices
  const change = (part: Partial<Choices>) => save.mutate({ ...shown, time_zone: zone, ...part })
  const toggled = (topic: PushTopic) => topics.filter((one) => (one === topic) !== shown.topics.includes(one))
  const times = HALF_HOURS.includes(shown.digest_at) ? HALF_HOURS : [shown.digest_at, ...HALF_HOURS]
  const off = no !== undefined
  return (
    <div className="mt-5 grid gap-x-10 gap-y-5 sm:grid-cols-2">
      <fieldset>
        <legend className="mb-2 text-sm font-medium text-ink">{t('notifyOf')}</legend>
        {topics.map((topic) => (
          <Checkbox
            key={topic}
            label={t(`topics.${topic}`)}
            checked={shown.topics.includes(topic)}
            disabled={off}
            onChange={() => change({ topics: toggled(topic) })}
          />
        ))}
      </fieldset>
      <fieldset>
        <legend className="mb-2 text-sm font-medium text-ink">{t('dailyDigest')}</legend>
        <Checkbox
          label={t('showDigest')}
          checked={shown.digest}
          disabled={off}
          onChange={(digest) => change({ digest })}
        />
        <SelectField
          label={t('digestAt')}
          hint={t('digestZone', { zone: shown.time_zone })}
          value={String(shown.digest_at)}
          disabled={off}
          onChange={(at) => change({ digest_at: Number(at) })}
          options={times.map((at) => ({ value: String(at), label: clockOf(at) }))}
        />
      </fieldset>
    </div>
  )
}
