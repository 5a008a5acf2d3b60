'use client'
import { type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Fault, isOffline, offlineRefusal, RELOAD_CODES, toFault } from './fault.ts'
import { withSignIn } from './sign-in-again.ts'
import { withStepUp } from './step-up.ts'
import { type Toast, toast } from './toasts.ts'
import { faultDetail, useFaultText } from './use-fault-text.ts'

type Extra<TData, TInput> = {
  done?: (data: TData, input: TInput) => string | null
  onFault?: (fault: Fault) => boolean
  link?: (input: TInput) => NonNullable<Toast['link']>
}

/**
 * A mutation with toasts: a refusal becomes a toast with its correlation id (or goes to `onFault`, for a form),
 * an outdated page is refetched, an expired session is signed in again over the page and the mutation repeated, and one that needs step-up asks for
 * the password and is repeated. Without a network nothing is sent, now or later. `done` is the text of the success toast,
 * `link` stands in that of a refusal.
 */
export function useToastMutation<TData, TError, TInput, TContext>(
  options: UseMutationOptions<TData, TError, TInput, TContext>,
  extra: Extra<TData, TInput> = {},
) {
  const queries = useQueryClient()
  const faultText = useFaultText()
  const { mutationFn } = options
  return useMutation({
    ...options,
    ...(mutationFn
      ? {
          mutationFn: (...args: Parameters<typeof mutationFn>) =>
            withStepUp(() =>
              withSignIn(() => (isOffline() ? Promise.reject(offlineRefusal()) : mutationFn(...args))),
            ),
        }
      : {}),
    onSuccess: (...args: Parameters<NonNullable<typeof options.onSuccess>>) => {
      const text = extra.done?.(args[0], args[1])
      if (text) toast({ tone: 'done', text })
      return options.onSuccess?.(...args)
    },
    onError: (...args: Parameters<NonNullable<typeof options.onError>>) => {
      const fault = toFault(args[0])
      if (RELOAD_CODES.has(fault.code)) void queries.invalidateQueries()
      if (!extra.onFault?.(fault) && fault.code !== 'STEP_UP_REQUIRED') {
        toast({
          tone: 'failed',
          text: faultText(fault),
          ...(extra.link ? { link: extra.link(args[1]) } : {}),
          ...(faultDetail(fault) ? { detail: faultDetail(fault) } : {}),
          ...(fault.correlationId ? { correlationId: fault.correlationId } : {}),
        })
      }
      return options.onError?.(...args)
    },
  })
}
