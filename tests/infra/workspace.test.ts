import { describe, expect, test } from 'vitest'
import { functions } from '#shared/manifest/index.ts'
import { reduced, second, throwaway } from './harness/combined.ts'
import { type Declared, declare, declared } from './harness/declare.ts'
import { allowing, componentOf, roleStatements, statementsOf } from './harness/policies.ts'
import { port, securityRules } from './harness/security-rules.ts'

const stack = declared()

const role = 'BackendExplorerRole'
const clientActions = ['elasticfilesystem:ClientMount', 'elasticfilesystem:ClientWrite']
const ofEfs = (rest: string) => `arn:aws:elasticfilesystem:eu-west-1:123456789012:${rest}`
const fileSystem = ofEfs('file-system/Workspace')
const accessPoint = ofEfs('access-point/WorkspaceAccess')

const explorer = (of: Declared) => of.one('aws:lambda/function:Function', 'BackendExplorerFunction')

const rulesOf = (direction: 'Ingress' | 'Egress', group: string) =>
  new Set(securityRules(stack, direction, group))

describe('with WORKSPACE_ROOT', () => {
  test('the explorer, and no other function, mounts the access point at that path', () => {
    expect(explorer(stack)).toMatchObject({
      fileSystemConfig: { arn: accessPoint, localMountPath: '/mnt/workspace' },
      environment: { variables: { WORKSPACE_ROOT: '/mnt/workspace' } },
    })
    const mounting = [...stack.all('aws:lambda/function:Function')].filter(
      ([, { fileSystemConfig }]) => fileSystemConfig !== undefined,
    )
    expect(mounting.map(([name]) => name)).toEqual(['BackendExplorerFunction'])
  })

  test('the files are encrypted and backed up, and each private subnet has a mount target', () => {
    expect([...stack.all('aws:efs/fileSystem:FileSystem').values()]).toMatchObject([
      { encrypted: true },
    ])
    expect([...stack.all('aws:efs/backupPolicy:BackupPolicy').values()]).toEqual([
      { fileSystemId: 'Workspace-id', backupPolicy: { status: 'ENABLED' } },
    ])
    expect(new Set(stack.all('aws:efs/mountTarget:MountTarget').values())).toEqual(
      new Set(
        ['NetworkPrivateSubnet1-id', 'NetworkPrivateSubnet2-id', 'NetworkPrivateSubnet3-id'].map(
          (subnetId) => ({
            fileSystemId: 'Workspace-id',
            subnetId,
            securityGroups: ['Workspace-id'],
          }),
        ),
      ),
    )
  })

  test('they are written as one user that is not root, below one directory', () => {
    expect([...stack.all('aws:efs/accessPoint:AccessPoint').values()]).toMatchObject([
      {
        fileSystemId: 'Workspace-id',
        posixUser: { uid: 1000, gid: 1000 },
        rootDirectory: {
          path: '/workspace',
          creationInfo: { ownerUid: 1000, ownerGid: 1000, permissions: '0750' },
        },
      },
    ])
  })

  test('only the explorer’s role may mount them, only by the access point', () => {
    expect(roleStatements(stack, role)).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: clientActions,
        Resource: [fileSystem],
        Condition: { StringEquals: { 'elasticfilesystem:AccessPointArn': [accessPoint] } },
      }),
    )
    const allowed = functions.filter(({ name }) =>
      roleStatements(stack, `${componentOf(name)}Role`).some(({ Action }) =>
        Action.some((action) => action.startsWith('elasticfilesystem:')),
      ),
    )
    expect(allowed.map(({ name }) => name)).toEqual(['backend-explorer'])
    const { policy } = stack.one('aws:efs/fileSystemPolicy:FileSystemPolicy', 'WorkspacePolicy')
    expect(statementsOf(policy)).toEqual([
      {
        Effect: 'Deny',
        Action: [
          'elasticfilesystem:ClientMount',
          'elasticfilesystem:ClientRootAccess',
          'elasticfilesystem:ClientWrite',
        ],
        Resource: [fileSystem],
        Principal: { AWS: ['*'] },
        Condition: { StringNotEquals: { 'elasticfilesystem:AccessPointArn': [accessPoint] } },
      },
    ])
  })

  test('they are reached only by the explorer, which reaches only them and the table', () => {
    expect(rulesOf('Ingress', 'Workspace')).toEqual(
      new Set([
        {
          securityGroupId: 'Workspace-id',
          referencedSecurityGroupId: 'Explorer-id',
          ...port(2049),
        },
      ]),
    )
    expect(rulesOf('Egress', 'Explorer')).toEqual(
      new Set([
        {
          securityGroupId: 'Explorer-id',
          referencedSecurityGroupId: 'Workspace-id',
          ...port(2049),
        },
        { securityGroupId: 'Explorer-id', prefixListId: 'pl-TableEndpoint', ...port(443) },
      ]),
    )
    expect(rulesOf('Ingress', 'Explorer')).toEqual(new Set())
    expect(rulesOf('Egress', 'Workspace')).toEqual(new Set())
    // The grant matches the stage: it names no resource that does not exist.
    const grants = functions.find(({ name }) => name === 'backend-explorer')?.grants
    expect(grants).toEqual([{ table: 'write' }, { files: 'workspace' }])
  })
})

test.each([
  { stage: 'production', settings: {}, retained: true },
  { stage: 'dev-ada', settings: throwaway, retained: false },
  { stage: 'production-europe-west-1', settings: second, retained: true },
])(
  'in $stage, files and the wallets’ key are retained like the table: $retained',
  async (expected) => {
    const { registrations } = await declare(expected.stage, expected.settings)
    for (const type of [
      'aws:efs/fileSystem:FileSystem',
      'aws:dynamodb/table:Table',
      'aws:kms/key:Key',
    ])
      expect(
        registrations.filter((one) => one.type === type).map(({ retained }) => retained),
      ).toEqual([expected.retained])
  },
)

test('without WORKSPACE_ROOT, no file system is created, and the explorer is outside of the VPC', async () => {
  const without = await declare('production', reduced)
  const types = without.registrations.map(({ type }) => type)
  expect(types.filter((type) => type.startsWith('aws:efs/'))).toEqual([])
  const groups = [...without.all('aws:ec2/securityGroup:SecurityGroup').keys()]
  expect(groups.toSorted()).toEqual(['Agents', 'Endpoints', 'Functions'])
  const { vpcConfig, fileSystemConfig, environment } = explorer(without)
  expect({ vpcConfig, fileSystemConfig }).toEqual({})
  expect(environment).not.toHaveProperty('variables.WORKSPACE_ROOT')
  expect(allowing(without, role, 'elasticfilesystem:ClientMount')).toEqual([])
  expect(allowing(without, role, 'ec2:CreateNetworkInterface')).toEqual([])
})

test.each(['/srv/workspace', '/mnt', '/mnt/', '/mnt/..', '/mnt/a/b', '/mnt/a b', 'mnt/a'])(
  'a path at which Lambda mounts nothing fails the deployment: %s',
  async (path) => {
    await expect(declare('production', { WORKSPACE_ROOT: path })).rejects.toThrow(
      `WORKSPACE_ROOT is ${path}; Lambda mounts a file system only at /mnt/<name>`,
    )
  },
)
