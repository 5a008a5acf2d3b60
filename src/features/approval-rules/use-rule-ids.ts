'use client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTRPC } from '#lib/trpc.tsx'

/** The rules by id, in the order of their evaluation. */
export function useRuleIds(): readonly string[] {
  const { data } = useQuery(useTRPC().approvalRules.list.queryOptions())
  return useMemo(() => data?.items.map(({ rule_id }) => rule_id) ?? [], [data])
}
