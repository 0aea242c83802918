import { describe, expect, it } from 'vitest'
import { runBlocks } from '../support/stack/document.ts'

describe.runIf(process.platform === 'linux')('the document of the AI gateway', () => {
  it('works as written, from the first command to the last', async () => {
    const [, forms, refusals, stream, month, cap, keys, cost, demo, ...others] = await runBlocks(
      'docs/use/ai-gateway.md',
      'gateway',
    )
    expect(others).toEqual([])
    expect(forms).toMatch(/"object":"chat\.completion"[^]*"provider":"local"[^]*"healthy"/)
    expect(refusals).toMatch(/PLAN_REQUIRED[^]*"success":false[^]*"code":"MODEL_RESTRICTED"/)
    expect(stream).toMatch(/"choices":\[\],.*"usage":[^]*data: \[DONE\]/)
    expect(month).toMatch(/"used":[1-9]\d*,"quota":2000000,"remaining":\d+,"resetsAt":"/)
    expect(cap).toMatch(/"success":false,.*"capUsd":0.*"code":"SPEND_CAP_REACHED"/)
    expect(keys).toMatch(/"byokEnabled":true[^]*"byokEnabled":false/)
    expect(cost).toMatch(/"estimatedCost":0,[^]*MODEL_NOT_FOUND[^]*"success":true/)
    expect(cost).toMatch(/\[UsageLogger\] Logging: \S+ \| local\/echo \| \d+\+\d+ tokens \| \$0"/)
    expect(demo).toMatch(/"model":"local\/echo"[^]*"done":true[^]*"Message required"/)
  })
})
