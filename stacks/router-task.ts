import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { named, namedGlobally } from './names.ts'
import { routerPort } from './router-network.ts'
import { secretOf } from './secrets.ts'
import { hostOf, streams, streamStage } from './streams.ts'
import { trustedBy } from './trust.ts'

export const routerContainer = 'router'

/** The longest duration of a WebSocket. Caddy asks the gate only once, which keeps the agent awake for this long. */
const socketLimit = 'stream_timeout 15m'

/**
 * The unmodified official image. Its configuration is in a variable, so there is no image to build, and a change creates a
 * new revision of the task. The digest is the one of the release's index, the same at every registry that Docker publishes
 * to; `docker buildx imagetools inspect <image>` prints it.
 */
const official =
  'public.ecr.aws/docker/library/caddy:2.10.2-alpine@sha256:4c6e91c6ed0e2fa03efd5b44747b625fec79bc9cd06ac5235a779726618e530d'

/** ROUTER_IMAGE names another copy, also by digest, because a tag can change. */
const image = process.env.ROUTER_IMAGE || official
if (!/@sha256:[0-9a-f]{64}$/.test(image))
  throw new Error(
    `ROUTER_IMAGE is ${image}; it must end with the digest of the image: @sha256: and 64 hex digits`,
  )

const command = 'exec caddy run --adapter caddyfile --config - <<END\n$CADDYFILE\nEND'

/** A container's default capabilities, except the one that the image's program needs to start. */
const needless = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_RAW',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]

/** @param domain AGENTS_DOMAIN */
export function routerTask(domain: string): aws.ecs.TaskDefinition {
  const logs = new aws.cloudwatch.LogGroup('RouterLogs', {
    name: `/aws/ecs/${named('router')}`,
    retentionInDays: 30,
  })
  const secret = new aws.ssm.Parameter('RouterSecret', {
    name: `/${$app.name}/${$app.stage}/router-secret`,
    type: 'SecureString',
    value: secretOf('ROUTER_SECRET').value,
  })
  return new aws.ecs.TaskDefinition('RouterTask', {
    family: named('router'),
    requiresCompatibilities: ['FARGATE'],
    networkMode: 'awsvpc',
    runtimePlatform: { cpuArchitecture: 'ARM64', operatingSystemFamily: 'LINUX' },
    cpu: '256',
    memory: '512',
    executionRoleArn: executionRole(logs, secret).arn,
    containerDefinitions: $jsonStringify([container(domain, logs, secret)]),
  })
}

function container(domain: string, logs: aws.cloudwatch.LogGroup, secret: aws.ssm.Parameter) {
  const gate = streams.backend
  if (gate === undefined) throw new Error('the gate has no streaming API to answer at')
  const environment = {
    AGENTS_DOMAIN: domain,
    CADDYFILE: readFileSync(join($cli.paths.root, 'stacks/router/Caddyfile'), 'utf8'),
    // The API's own address, because the edge would time out while an agent takes a minute to wake.
    GATE_ORIGIN: $interpolate`https://${hostOf(gate)}`,
    GATE_PATH: `/${streamStage}/api/gate`,
    PORT: String(routerPort),
    SOCKET_LIMIT: socketLimit,
  }
  return {
    name: routerContainer,
    image,
    essential: true,
    entryPoint: ['/bin/sh', '-c'],
    command: [command],
    user: '65534:65534',
    readonlyRootFilesystem: true,
    privileged: false,
    linuxParameters: { initProcessEnabled: true, capabilities: { drop: needless } },
    portMappings: [{ containerPort: routerPort, protocol: 'tcp' }],
    environment: Object.entries(environment).map(([name, value]) => ({ name, value })),
    secrets: [{ name: 'ROUTER_SECRET', valueFrom: secret.arn }],
    logConfiguration: {
      logDriver: 'awslogs',
      options: {
        'awslogs-group': logs.name,
        'awslogs-region': aws.getRegionOutput().region,
        'awslogs-stream-prefix': routerContainer,
        mode: 'non-blocking',
        'max-buffer-size': '4m',
      },
    },
  }
}

/** The role that ECS uses to start the router. The router itself calls no AWS service and has no role. */
function executionRole(logs: aws.cloudwatch.LogGroup, secret: aws.ssm.Parameter): aws.iam.Role {
  return new aws.iam.Role('RouterExecutionRole', {
    name: namedGlobally('router-execution'),
    assumeRolePolicy: trustedBy('ecs-tasks.amazonaws.com', { ofThisAccount: true }),
    inlinePolicies: [
      {
        name: 'start',
        policy: aws.iam.getPolicyDocumentOutput({
          statements: [
            {
              actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
              resources: [$interpolate`${logs.arn}:*`],
            },
            { actions: ['ssm:GetParameters'], resources: [secret.arn] },
          ],
        }).json,
      },
    ],
  })
}
