import { liveAlias } from '#shared/manifest/releases.ts'

/** Returns the name of an AWS resource with app and stage in front, so that stages can share an account. */
export function named(name: string): string {
  return `${$app.name}-${$app.stage}-${name}`
}

/** Converts a manifest name to a component name: `task-events` becomes `TaskEvents`. */
export function pascal(name: string): string {
  return name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Converts a path to a part of a component name: `/api/chat/{proxy+}` becomes `ApiChatBelow`. */
export function slug(path: string): string {
  const words = path
    .replace('{proxy+}', 'below')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return pascal(words.filter(Boolean).join('-')) || 'Root'
}

/** Returns the ARN of a function's live alias before the function is declared. */
export function liveArn(name: string): $util.Output<string> {
  return $interpolate`${functionArn(named(name))}:${liveAlias}`
}

/** Returns the ARN of a function by its AWS name before the function is declared. */
export function functionArn(name: string): $util.Output<string> {
  const { region } = aws.getRegionOutput()
  const { accountId } = aws.getCallerIdentityOutput()
  return $interpolate`arn:${aws.getPartitionOutput().partition}:lambda:${region}:${accountId}:function:${name}`
}
