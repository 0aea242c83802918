import { beforeAll, describe, expect, test } from 'vitest'
import { containerRules } from './containers.ts'
import { edgeRules } from './edge.ts'
import { gatewayRules } from './gateway.ts'
import { identityRules } from './identity.ts'
import { lambdaRules } from './lambda.ts'
import { messageRules } from './messages.ts'
import { monitoringRules } from './monitoring.ts'
import { networkRules } from './network.ts'
import type { Stage } from './rule.ts'
import { declareStages } from './stages.ts'
import { storageRules } from './storage.ts'

const rules = [
  ...containerRules,
  ...edgeRules,
  ...gatewayRules,
  ...identityRules,
  ...lambdaRules,
  ...messageRules,
  ...monitoringRules,
  ...networkRules,
  ...storageRules,
]

describe('rules of AWS', () => {
  let stages: Stage[]
  beforeAll(async () => {
    stages = await declareStages()
  })

  test.each(rules)('$rule', ({ breaches, checks, refuses, source }) => {
    expect(breaches(stages).map((breach) => `${breach}: ${source}`)).toEqual([])
    expect(checks(stages)).toBeGreaterThan(0)
    for (const example of refuses) expect(breaches(example)).not.toEqual([])
  })
})
