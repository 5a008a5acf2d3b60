'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AddedNode } from '#contracts/node.contract.ts'
import { daysOf, type Lifetime, LifetimeField } from '#features/keys/index.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useFieldText } from '#lib/use-fault-text.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { DialogFrame } from '#ui/dialog-frame.tsx'
import { TextField } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { JoinText } from './join-text.tsx'

/**
 * Asks for the node, and then shows the text that joins it, this once: it lives in this component alone and goes with it. While it was not
 * copied, what closes the dialog warns first.
 */
export function AddNodeDialog({ node, onClose }: { node?: string; onClose: () => void }) {
  const t = useTranslations('nodes')
  const [made, setMade] = useState<AddedNode | null>(null)
  const [copied, setCopied] = useState(false)
  const [warned, setWarned] = useState(false)
  const close = () => (made && !copied && !warned ? setWarned(true) : onClose())
  return (
    <DialogFrame
      open
      onClose={close}
      title={made ? t('joinTitle', { node: made.node_id }) : node === undefined ? t('addTitle') : t('newKey')}
      description={made ? t('joinHint', { node: made.node_id }) : t('addHint')}
      width={made ? 'lg' : 'md'}
    >
      {made ? (
        <>
          <JoinText of={made} copied={copied} onCopied={() => setCopied(true)} />
          {warned && !copied ? (
            <p role="alert" className="mt-3 text-waiting">
              {t('notCopied')}
            </p>
          ) : null}
          <div className="mt-5 flex justify-end">
            <Button kind={copied ? 'primary' : 'secondary'} onClick={close}>
              {t('done')}
            </Button>
          </div>
        </>
      ) : (
        <AddForm node={node} made={setMade} />
      )}
    </DialogFrame>
  )
}

function AddForm({ node: given, made }: { node: string | undefined; made: (node: AddedNode) => void }) {
  const t = useTranslations('nodes')
  const [node, setNode] = useState(given ?? '')
  const [project, setProject] = useState('')
  const [lifetime, setLifetime] = useState<Lifetime>('365')
  const add = useAddNode(made)
  const submit = () => {
    if (node.trim() === '' || add.isPending) return
    add.mutate({
      node_id: node.trim(),
      ...(project.trim() === '' ? {} : { project: project.trim() }),
      expires_in_days: daysOf(lifetime),
    })
  }
  return (
    <Form onSubmit={submit}>
      <TextField
        label={t('node')}
        hint={t('nodeHint')}
        value={node}
        onChange={setNode}
        error={add.faults.node_id}
        maxLength={128}
        disabled={given !== undefined}
        autoFocus={given === undefined}
        required
        mono
      />
      <TextField
        label={
          <>
            {t('project')} <span className="ml-0.5 font-normal text-ink-3">{t('optional')}</span>
          </>
        }
        hint={t('projectHint')}
        value={project}
        onChange={setProject}
        error={add.faults.project}
        maxLength={128}
        autoFocus={given !== undefined}
      />
      <LifetimeField value={lifetime} onChange={setLifetime} />
      {add.faults.full ? (
        <p role="alert" className="mt-3 text-failed">
          {add.faults.full}
        </p>
      ) : null}
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={add.isPending} disabled={node.trim() === ''}>
          {given === undefined ? t('add') : t('newKey')}
        </Button>
      </div>
    </Form>
  )
}

/** Adds the node; the answer goes to `made` and is not kept by the cache. */
function useAddNode(made: (node: AddedNode) => void) {
  const t = useTranslations('nodes')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const fieldText = useFieldText()
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const add = useToastMutation(
    trpc.nodes.add.mutationOptions({
      gcTime: 0,
      onMutate: () => setFaults({}),
      onSuccess: (node) => {
        made(node)
        return queries.invalidateQueries(trpc.nodes.pathFilter())
      },
    }),
    {
      done: ({ node_id: node }) => t('added', { node }),
      onFault: (fault) => {
        const full = fault.code === 'LIMIT_EXCEEDED'
        const fields = fault.fields.map((field) => [field.field, fieldText(field)])
        setFaults(full ? { full: t('twoAlready') } : Object.fromEntries(fields))
        return full || fields.length > 0
      },
    },
  )
  return { ...add, faults }
}
