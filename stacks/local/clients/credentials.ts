/** What the SDK's clients need to be told for the local engines, which accept any credentials. */
export const localCredentials = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const
