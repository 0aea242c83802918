import { environmentOf } from './environment.ts'
import { pullStatements } from './images.ts'
import { named, namedGlobally, pascal } from './names.ts'
import { grantedTo } from './permissions.ts'
import type { Service } from './placement.ts'
import { secretOf } from './secrets.ts'
import { servicePort } from './service-origins.ts'
import { trustedBy } from './trust.ts'

/** Returns the image built from stacks/service/Dockerfile, by digest, because a tag can change. */
function image(): string {
  const reference = process.env.SERVICE_IMAGE ?? ''
  if (/@sha256:[0-9a-f]{64}$/.test(reference)) return reference
  throw new Error(
    `SERVICE_IMAGE is ${reference || 'not set'}; SERVICES need the image of stacks/service/Dockerfile with its digest`,
  )
}

/** Fargate's maximum between the stop signal and the kill. shared/http/server/serve.ts stays within it. */
const stopSeconds = 120

/** Parameters by the name of their secret, shared by the services. */
const parameters = new Map<string, aws.ssm.Parameter>()

/** Returns the task definition of a service: one container with the same permissions as the function's Lambda. */
export function serviceTask(spec: Service): aws.ecs.TaskDefinition {
  const name = pascal(spec.name)
  const logs = new aws.cloudwatch.LogGroup(`${name}ServiceLogs`, {
    name: `/aws/ecs/${named(spec.name)}`,
    retentionInDays: 30,
  })
  const secrets = spec.secrets.map((secret) => ({ secret, parameter: parameterOf(secret) }))
  return new aws.ecs.TaskDefinition(`${name}Task`, {
    family: named(spec.name),
    requiresCompatibilities: ['FARGATE'],
    networkMode: 'awsvpc',
    runtimePlatform: { cpuArchitecture: 'ARM64', operatingSystemFamily: 'LINUX' },
    cpu: String(spec.service.cpu),
    memory: String(spec.service.memoryMb),
    executionRoleArn: executionRole(
      spec,
      logs,
      secrets.map(({ parameter }) => parameter),
    ).arn,
    taskRoleArn: taskRole(spec).arn,
    containerDefinitions: $jsonStringify([
      {
        name: spec.name,
        image: image(),
        essential: true,
        command: [
          // Streams create many short-lived objects. With V8's default size, they would be promoted to the old generation needlessly.
          '--max-semi-space-size=32',
          `--max-old-space-size=${Math.floor(spec.service.memoryMb * 0.75)}`,
          `/opt/services/${spec.name}/index.cjs`,
        ],
        user: '65532:65532',
        readonlyRootFilesystem: true,
        privileged: false,
        linuxParameters: { initProcessEnabled: true, capabilities: { drop: ['ALL'] } },
        portMappings: [{ containerPort: servicePort, protocol: 'tcp' }],
        stopTimeout: stopSeconds,
        environment: Object.entries({
          ...environmentOf(spec),
          PORT: String(servicePort),
        }).map(([variable, value]) => ({ name: variable, value })),
        // In the format of SST's links, which every function reads.
        secrets: secrets.map(({ secret, parameter }) => ({
          name: `SST_RESOURCE_${secret}`,
          valueFrom: parameter.arn,
        })),
        logConfiguration: {
          logDriver: 'awslogs',
          options: {
            'awslogs-group': logs.name,
            'awslogs-region': aws.getRegionOutput().region,
            'awslogs-stream-prefix': 'service',
            mode: 'non-blocking',
            'max-buffer-size': '4m',
          },
        },
      },
    ]),
  })
}

/** Returns the SSM parameter of a secret, for ECS. SSM rejects empty values, which unset features have, so it is wrapped. */
function parameterOf(name: Service['secrets'][number]): aws.ssm.Parameter {
  const known = parameters.get(name)
  if (known !== undefined) return known
  const made = new aws.ssm.Parameter(`ServiceSecret${name}`, {
    name: `/${$app.name}/${$app.stage}/services/${name}`,
    type: 'SecureString',
    tier: 'Intelligent-Tiering',
    value: $jsonStringify({ value: secretOf(name).value }),
  })
  parameters.set(name, made)
  return made
}

/** The role of the service's code: the manifest's grants, as on Lambda. */
function taskRole(spec: Service): aws.iam.Role {
  return new aws.iam.Role(`${pascal(spec.name)}TaskRole`, {
    name: namedGlobally(`${spec.name}-task`),
    assumeRolePolicy: trustedBy('ecs-tasks.amazonaws.com', { ofThisAccount: true }),
    inlinePolicies: [
      {
        name: 'grants',
        policy: aws.iam.getPolicyDocumentOutput({
          statements: grantedTo(spec).map(({ effect, actions, resources, conditions = [] }) => ({
            effect: effect === 'deny' ? 'Deny' : 'Allow',
            actions,
            resources,
            conditions,
          })),
        }).json,
      },
    ],
  })
}

/** The role that ECS uses to pull the image, read the secrets and open the log before a container starts. */
function executionRole(
  spec: Service,
  logs: aws.cloudwatch.LogGroup,
  secrets: aws.ssm.Parameter[],
): aws.iam.Role {
  return new aws.iam.Role(`${pascal(spec.name)}ExecutionRole`, {
    name: namedGlobally(`${spec.name}-execution`),
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
            { actions: ['ssm:GetParameters'], resources: secrets.map(({ arn }) => arn) },
            ...pullStatements(image()),
          ],
        }).json,
      },
    ],
  })
}
