'use client'
import { type UseMutationOptions, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { CreatedKey } from '#contracts/key.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useFieldText } from '#lib/use-fault-text.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'

/**
 * What makes a key: the answer goes to `made` and is not kept by the cache. `faults` are those of the form by field; under `node`, that the
 * node has two keys already.
 */
export function useKeyMutation<TError, TInput, TContext>(
  options: UseMutationOptions<CreatedKey, TError, TInput, TContext>,
  { made, done }: { made: (key: CreatedKey) => void; done: string },
) {
  const t = useTranslations('keys')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const fieldText = useFieldText()
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const mutation = useToastMutation(
    {
      ...options,
      gcTime: 0,
      onMutate: (...args: Parameters<NonNullable<typeof options.onMutate>>) => {
        setFaults({})
        return options.onMutate?.(...args) as TContext
      },
      onSuccess: (key: CreatedKey) => {
        made(key)
        return queries.invalidateQueries(trpc.keys.pathFilter())
      },
    },
    {
      done: () => done,
      onFault: (fault) => {
        const full = fault.code === 'LIMIT_EXCEEDED'
        setFaults(
          full
            ? { node: t('twoAlready') }
            : Object.fromEntries(fault.fields.map((field) => [field.field, fieldText(field)])),
        )
        return full || fault.fields.length > 0
      },
    },
  )
  return { ...mutation, faults }
}
