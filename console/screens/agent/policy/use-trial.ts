import { useRef } from 'preact/hooks'
import type { Policy, PolicyRule, PolicyTestResult } from '../../../../clients/typescript/index.ts'
import { useLoad } from '../../../ui/load.ts'
import { agents } from '../client.ts'

export interface PolicyTrial {
  /** The last result. It is of an earlier policy while `isLoading`. */
  result: PolicyTestResult | undefined
  isLoading: boolean
  error: unknown
  /** Returns a rule in words; undefined until the platform has returned it. */
  sentenceOf(rule: PolicyRule): string | undefined
  /** Tests another policy before it is shown. @throws PlatformError 400 for an invalid rule */
  check(policy: Policy): Promise<void>
}

/** Tests a policy that need not be saved on the agent's records. */
export function useTrial(agentId: string, policy: Policy, days: number): PolicyTrial {
  const checked = useRef<{ key: string; result: PolicyTestResult } | undefined>(undefined)
  const last = useRef<PolicyTestResult | undefined>(undefined)
  const sentences = useRef(new Map<string, string>())
  const keyOf = (of: Policy) => `policy test ${agentId} ${days} ${JSON.stringify(of)}`

  async function test(of: Policy, signal?: AbortSignal) {
    const { preset, rules } = of
    const result = await agents.policy.test(agentId, { days, preset, rules }, { signal })
    for (const [i, rule] of rules.entries()) {
      const sentence = result.sentences[i]?.replace(/^\d+\. /, '')
      if (sentence !== undefined) sentences.current.set(JSON.stringify(rule), sentence)
    }
    return result
  }

  const key = keyOf(policy)
  const { data, error } = useLoad(key, async (signal) => {
    const known = checked.current
    return known?.key === key ? known.result : test(policy, signal)
  })
  last.current = data ?? last.current
  return {
    result: last.current,
    isLoading: data === undefined && error === undefined,
    error,
    sentenceOf: (rule) => sentences.current.get(JSON.stringify(rule)),
    async check(other) {
      checked.current = { key: keyOf(other), result: await test(other) }
    },
  }
}
