'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'

/** The commands to a worker. A refusal is not a toast: the dialog shows it, and keeps the reason. */
export function useWorkerCommands() {
  const t = useTranslations('workers')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const onSuccess = () =>
    Promise.all([
      queries.invalidateQueries(trpc.workers.pathFilter()),
      queries.invalidateQueries(trpc.tasks.pathFilter()),
    ])
  const onFault = () => true
  return {
    drain: useToastMutation(trpc.workers.drain.mutationOptions({ onSuccess }), {
      done: (_, { drain }) => t(drain ? 'drainDone' : 'resumeDone'),
      onFault,
    }),
    release: useToastMutation(trpc.workers.release.mutationOptions({ onSuccess }), {
      done: ({ released }) => t('releaseDone', { count: released }),
      onFault,
    }),
    correct: useToastMutation(trpc.workers.correctAddress.mutationOptions({ onSuccess }), {
      done: () => t('correctDone'),
      onFault,
    }),
    reset: useToastMutation(trpc.workers.resetBreaker.mutationOptions({ onSuccess }), {
      done: () => t('resetDone'),
      onFault,
    }),
    agent: useToastMutation(trpc.workers.commandAgent.mutationOptions({ onSuccess }), {
      done: ({ command, dryrun, detail }) =>
        [t(dryrun ? 'agentDryRun' : `agentDone.${command}`), detail].filter(Boolean).join(' '),
      onFault,
    }),
    remove: useToastMutation(trpc.workers.remove.mutationOptions({ onSuccess }), {
      done: () => t('removeDone'),
      onFault,
    }),
  }
}
