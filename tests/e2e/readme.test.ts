import { describe, expect, it } from 'vitest'
import { runBlocks } from '../support/stack/document.ts'

describe.runIf(process.platform === 'linux')('the first words of the README, and the tour', () => {
  it('work as written, from the first command to the last', async () => {
    const printed = await runBlocks(['README.md', 'docs/use/tour.md'], 'tour')
    expect(printed.length).toBeGreaterThan(5)
    const [signUp, plan, provisioned, chat, address, taught, observed, back, history, lapse] =
      printed
    expect(signUp).toContain('"ok":true')
    expect(plan).toContain('"plan":"solo"')
    expect(provisioned).toMatch(/"status":"provisioning"[^]*"status":"running"/)
    expect(chat).toMatch(
      /"reply":"[^"]*You said: Hello, who are you\?"[^]*event: delta[^]*event: done/,
    )
    expect(address).toMatch(/"object":"list"[^]*"url":"http:\/\/rhythm-/)
    expect(taught).toMatch(/"saved":true[^]*"deployed":true[^]*"nextRun":"/)
    expect(observed).toMatch(/\/skills\/:id[^]*"totalCalls":2[^]*"isMockData":false/)
    expect(back).toMatch(/"status":"running".*"incidents":\[\{[^}]*exit code 137/)
    expect(history).toMatch(/"status":"stopped"[^]*"messages":\[\{/)
    expect(lapse).toMatch(/"subscriptionStatus":"past_due"[^]*"subscriptionStatus":"active"/)
  })
})
