/** What the tests' stacks and engines are told to demand, so that a test may look inside them. */
export const testAccessKey = 'local'

/** Signs what this process asks of engines. An engine that was started alone takes any credentials. */
export function useLocalCredentials(): void {
  process.env.AWS_REGION ??= 'us-east-1'
  process.env.AWS_ACCESS_KEY_ID ??= testAccessKey
  process.env.AWS_SECRET_ACCESS_KEY ??= testAccessKey
}
