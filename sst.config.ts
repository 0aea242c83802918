/// <reference path="./.sst/platform/config.d.ts" />

export default $config({
  async app(input) {
    const { checkStage, isThrowaway, regionOf } = await import('./stacks/stage.ts')
    checkStage(input.stage)
    const isPermanent = !isThrowaway(input.stage)
    const region = regionOf(input.stage, process.env.AWS_REGION)
    return {
      name: 'agent-platform',
      home: 'aws',
      version: '4.17.1',
      // `npm run remove` deploys once without protection: ops/remove/main.ts.
      protect: isPermanent && process.env.UNPROTECTED_STAGE !== input.stage,
      removal: isPermanent ? 'retain' : 'remove',
      providers: {
        aws: region === undefined ? {} : { region },
        // The provider needs a Cloudflare account, so only stages with workers configure it.
        ...(process.env.WORKERS_DOMAIN && { cloudflare: '6.15.0' }),
      },
    }
  },
  async run() {
    await import('./stacks/storage.ts')
    await import('./stacks/queues.ts')
    await import('./stacks/secrets.ts')
    const { mailDkim } = await import('./stacks/mail.ts')
    const { vpc } = await import('./stacks/network.ts')
    await import('./stacks/workspace.ts')
    await import('./stacks/containers.ts')
    await import('./stacks/task-events.ts')
    await import('./stacks/file-uploads.ts')
    const { mailMx } = await import('./stacks/mail-in.ts')
    const { cnames, urls } = await import('./stacks/addresses.ts')
    const { consoleBucket } = await import('./stacks/console.ts')
    await import('./stacks/console-files.ts')
    await import('./stacks/functions.ts')
    await import('./stacks/workers.ts')
    await import('./stacks/services.ts')
    await import('./stacks/routes.ts')
    await import('./stacks/stream-routes.ts')
    await import('./stacks/jobs.ts')
    await import('./stacks/schedules.ts')
    const { router } = await import('./stacks/router.ts')
    const { isThrowaway } = await import('./stacks/stage.ts')
    // A throwaway stage has no alarms and serves each deployment at once: aliases.ts.
    if (!isThrowaway($app.stage)) {
      await import('./stacks/alarms.ts')
      await import('./stacks/error-alarms.ts')
      await import('./stacks/releases.ts')
    }
    return {
      ...urls,
      ...cnames,
      network: vpc.id,
      console: consoleBucket.bucket,
      ...(mailMx && { mailMx }),
      ...(mailDkim && { mailDkim }),
      ...(router && { agents: router.balancer.dnsName }),
    }
  },
})
