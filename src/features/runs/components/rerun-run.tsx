'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { RunDetail } from '#contracts/run.contract.ts'
import type { RunParams } from '#contracts/run-commands.contract.ts'
import { RERUN_REASON, RERUN_STEPS, type RerunStep, reusedFrom } from '#domain/run/rerun.rules.ts'
import { PARAM_CHARS } from '#domain/run/run.rules.ts'
import { STEPS } from '#domain/run/step.machine.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useDraft } from '#lib/use-draft.ts'
import { useGoOn } from '#lib/use-go-on.ts'
import { useRequestId } from '#lib/use-request-id.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { SelectField, TextArea } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'

/** What a replay from each step begins with. */
const NAME = { 1: 'context', 2: 'agent', 3: 'results' } as const

/** Replays an ended run from one of its steps: says what is reused and what is paid for again, and asks why. */
export function RerunRun({ run }: { run: RunDetail }) {
  const t = useTranslations('runs')
  const no = useRight('run.rerun')
  const [open, setOpen] = useState(false)
  const offered = run.rerunnable_from.length > 0
  useAction(
    offered
      ? {
          id: 'runs.rerun',
          label: t('rerun.act'),
          keys: 'f',
          group: t('title'),
          run: () => setOpen(true),
          ...(no ? { disabledReason: no } : {}),
        }
      : null,
  )
  // What is being written stays, though the run may no longer offer it meanwhile; the answer then says so.
  if (!offered && !open) return null
  return (
    <>
      <Button keys="f" disabledReason={no} onClick={() => setOpen(true)}>
        {t('rerun.act')}
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={t('rerun.title')}
        description={t('rerun.hint')}
      >
        <RerunForm run={run} close={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function RerunForm({ run, close }: { run: RunDetail; close: () => void }) {
  const t = useTranslations('runs')
  const trpc = useTRPC()
  const goOn = useGoOn()
  const latest = run.rerunnable_from.at(-1) as RerunStep
  const texts = textsIn(run.params)
  const draft = useDraft(`rerun:${run.run_id}`, { step: String(latest), reason: '', ...texts })
  const { values } = draft
  const step = Number(values.step) as RerunStep
  // Asked twice before the page is left, it is one run.
  const token = useRequestId()
  const rerun = useToastMutation(
    trpc.runs.rerun.mutationOptions({
      onMutate: goOn.begin,
      onSuccess: ({ run_id }) => {
        draft.clear()
        close()
        goOn.to(`/runs/${run_id}`, t('rerun.started'))
      },
      onError: token.refused,
    }),
  )
  const ready = [...values.reason.trim()].length >= RERUN_REASON.min
  const submit = () => {
    if (!ready || rerun.isPending) return
    rerun.mutate({
      run_id: run.run_id,
      from_step: step,
      reason: values.reason.trim(),
      correlation_id: token.id,
      ...(step === 1 ? { params: paramsWith(run.params, values) } : {}),
    })
  }
  return (
    <Form onSubmit={submit}>
      <DraftNote draft={draft} />
      <SelectField
        label={t('rerun.from')}
        value={values.step}
        onChange={(value) => draft.set('step', value)}
        autoFocus
        options={RERUN_STEPS.map((n) => {
          const label = t(`rerun.step.${NAME[n]}`)
          const reached = run.rerunnable_from.includes(n)
          return {
            value: String(n),
            label: reached ? label : t('rerun.notReached', { step: label }),
            disabled: !reached,
          }
        })}
      />
      <Effect step={step} />
      {step === 1
        ? Object.keys(texts).map((name) => (
            <TextArea
              key={name}
              label={name.slice(PARAM.length)}
              value={values[name as keyof typeof values] ?? ''}
              onChange={(text) => draft.set(name as keyof typeof values, text)}
              rows={2}
              maxLength={PARAM_CHARS}
            />
          ))
        : null}
      <TextArea
        label={t('rerun.reason')}
        value={values.reason}
        onChange={(text) => draft.set('reason', text)}
        rows={2}
        required
        maxLength={RERUN_REASON.max}
      />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={rerun.isPending} disabled={!ready}>
          {t('rerun.confirm')}
        </Button>
      </div>
    </Form>
  )
}

/** What a replay from this step takes over, what it executes, and what that costs. */
function Effect({ step }: { step: RerunStep }) {
  const t = useTranslations('runs')
  const reused = reusedFrom(step)
  const namesOf = (steps: readonly number[]) =>
    STEPS.flatMap(({ n, name }) => (steps.includes(n) ? [`0${n} ${t(`phases.${name}`)}`] : [])).join(', ')
  const again = STEPS.map(({ n }) => n).filter((n) => !reused.includes(n))
  return (
    <div role="status" className="mt-3 rounded bg-sunken px-3 py-2 text-sm">
      <p>
        <span className="text-ink-3">{t('rerun.reused')}:</span> {namesOf(reused) || t('rerun.nothing')}
      </p>
      <p className="mt-0.5">
        <span className="text-ink-3">{t('rerun.again')}:</span> {namesOf(again)}
      </p>
      <p className="mt-1.5 text-ink-2">{t(`rerun.cost.${NAME[step]}`)}</p>
    </div>
  )
}

const PARAM = 'param.'

/** The parameters that are texts, each a field of the form beside its own; all others stay as they are. */
const textsIn = (params: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) =>
      typeof value === 'string' ? [[`${PARAM}${name}`, value]] : [],
    ),
  )

const paramsWith = (params: Record<string, unknown>, texts: Record<string, string>): RunParams =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' ? (texts[`${PARAM}${name}`] ?? value) : value,
    ]),
  ) as RunParams
