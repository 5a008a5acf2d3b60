'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { z } from 'zod'
import type { PromotionConflict, promoteRequest } from '#contracts/leadership-console.contract.ts'
import { toFault } from '#lib/fault.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'

/** Promotes a node; a refusal rejects, and `conflict` tells what stands against it. What the page shows is read again either way. */
export function usePromote() {
  const t = useTranslations('leadership')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const [conflict, setConflict] = useState<PromotionConflict | null>(null)
  const again = () => queries.invalidateQueries(trpc.leadership.pathFilter())
  const mutation = useToastMutation(
    trpc.leadership.promote.mutationOptions({
      onMutate: () => setConflict(null),
      onSettled: (_answer, error) => {
        if (error) setConflict(conflictOf(error))
        void again()
      },
    }),
    {
      done: ({ primary_node_id: node, epoch, term }) => t('promoted', { node, epoch, term }),
      // The dialog shows it, beside what it is about.
      onFault: () => true,
    },
  )
  return { promote: (input: z.input<typeof promoteRequest>) => mutation.mutateAsync(input), conflict }
}

/** What the server says beside the refusal; the faults of single fields are a list, and no conflict. */
function conflictOf(error: unknown): PromotionConflict | null {
  const { details } = toFault(error)
  return typeof details === 'object' && !Array.isArray(details) ? (details as PromotionConflict | null) : null
}
