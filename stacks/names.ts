import { liveAlias } from '../shared/manifest/releases.ts'

/** The name of a resource on AWS: app and stage in front, so that stages share an account and people can read a console. */
export function named(name: string): string {
  return `${$app.name}-${$app.stage}-${name}`
}

/** A manifest name as a component's: `task-events` becomes `TaskEvents`. */
export function pascal(name: string): string {
  return name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** A path as part of a component's name: `/api/chat/{proxy+}` becomes `ApiChatBelow`. */
export function slug(path: string): string {
  const words = path
    .replace('{proxy+}', 'below')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return pascal(words.filter(Boolean).join('-')) || 'Root'
}

/** The ARN of the alias that serves a manifest function, before it is declared. */
export function liveArn(name: string): $util.Output<string> {
  return $interpolate`${functionArn(named(name))}:${liveAlias}`
}

/** The ARN of a function by its name on AWS, for what is said of a function before it is declared. */
export function functionArn(name: string): $util.Output<string> {
  const { region } = aws.getRegionOutput()
  const { accountId } = aws.getCallerIdentityOutput()
  return $interpolate`arn:${aws.getPartitionOutput().partition}:lambda:${region}:${accountId}:function:${name}`
}
