/** Holds the lock of a directory until it is killed. */
import { takeLock } from '../lock/lock.ts'

await takeLock(process.argv[2] ?? '')
process.send?.('held')
// A listener keeps the process from ending by itself.
process.on('message', () => {})
