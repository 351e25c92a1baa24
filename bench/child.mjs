/**
 * The inside of a child process: runs one task and prints its answer. A task that wants to end by itself exports `lingers` with its name in it;
 * all others are ended here, because some libraries keep a process alive.
 */
const { module, task, input } = JSON.parse(process.argv[2])
const tasks = await import(module)
const answer = await tasks[task](input)
process.stdout.write(`\u0001${JSON.stringify(answer ?? null)}`, () => {
  if (!tasks.lingers?.includes(task)) process.exit(0)
})
