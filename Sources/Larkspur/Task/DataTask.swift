/// A task whose response is collected in memory.
public class DataTask: SessionTask, @unchecked Sendable {}
