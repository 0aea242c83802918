/// <reference path="./.sst/platform/config.d.ts" />

export default $config({
  async app(input) {
    const { checkStage, isThrowaway } = await import('./stacks/stage.ts')
    checkStage(input.stage)
    const kept = !isThrowaway(input.stage)
    // The provider needs a Cloudflare account, so only stages with workers configure it.
    const providers: Record<string, string> = process.env.WORKERS_DOMAIN
      ? { cloudflare: '6.15.0' }
      : {}
    return {
      name: 'agent-platform',
      home: 'aws',
      version: '4.17.1',
      // `npm run remove` deploys once without protection: ops/remove/main.ts.
      protect: kept && process.env.UNPROTECTED_STAGE !== input.stage,
      removal: kept ? 'retain' : 'remove',
      providers,
    }
  },
  async run() {
    await import('./stacks/storage.ts')
    await import('./stacks/queues.ts')
    await import('./stacks/secrets.ts')
    await import('./stacks/mail.ts')
    await import('./stacks/network.ts')
    await import('./stacks/workspace.ts')
    await import('./stacks/containers.ts')
    await import('./stacks/task-events.ts')
    const { cnames, urls } = await import('./stacks/addresses.ts')
    await import('./stacks/console-files.ts')
    await import('./stacks/functions.ts')
    await import('./stacks/workers.ts')
    await import('./stacks/services.ts')
    await import('./stacks/routes.ts')
    await import('./stacks/stream-routes.ts')
    await import('./stacks/jobs.ts')
    await import('./stacks/schedules.ts')
    const { router } = await import('./stacks/router.ts')
    await import('./stacks/alarms.ts')
    await import('./stacks/error-alarms.ts')
    await import('./stacks/releases.ts')
    return { ...urls, ...cnames, ...(router && { agents: router.balancer.dnsName }) }
  },
})
