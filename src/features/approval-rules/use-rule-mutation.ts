'use client'
import { type UseMutationOptions, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'

/** A change of the rules: the list is read again, `done` is the toast. */
export function useRuleMutation<TData, TError, TInput, TContext>(
  options: UseMutationOptions<TData, TError, TInput, TContext>,
  done: (data: TData) => string | null,
  onFault?: Parameters<typeof useToastMutation>[1] extends infer E | undefined
    ? E extends { onFault?: infer F }
      ? F
      : never
    : never,
) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  return useToastMutation(
    {
      ...options,
      onSuccess: (...args: Parameters<NonNullable<typeof options.onSuccess>>) => {
        void queries.invalidateQueries(trpc.approvalRules.list.pathFilter())
        return options.onSuccess?.(...args)
      },
    },
    { done, ...(onFault ? { onFault } : {}) },
  )
}
