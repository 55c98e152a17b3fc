# Godot's side of benches/peers: a tree of MeshInstances, edited and timed on request. The requests are those of osg.cc.
#
#   HEDGEROW_PORT=PORT godot3-server --path FOLDER -s peer.gd
#
# Scripts cannot read pipes. So requests come over a socket of this machine, and end with the connection; godot.sh puts it
# behind pipes.
extends SceneTree

# Bytes of a local transform.
const LOCAL = 40
# How long a connection is waited for, in milliseconds.
const PATIENCE = 30000
# The world matrix of a node that is no more.
const REMOVED = Transform(Vector3(), Vector3(), Vector3(), Vector3())

var requests: StreamPeerTCP
var nodes = []
# Kept, so that they are no part of what the tree takes.
var parents = []
var all = []
var listed = []
# Made before they are set, in favour of Godot: a script takes long to make one of a quaternion.
var transforms = []
var before = 0
# When the update that is under way has begun, in microseconds, or -1.
var began = -1


func _initialize():
	var server = TCP_Server.new()
	var failed = server.listen(int(OS.get_environment("HEDGEROW_PORT")), "127.0.0.1")
	assert(failed == OK)
	while not server.is_connection_available():
		OS.delay_msec(1)
		if OS.get_ticks_msec() > PATIENCE:
			end()
	requests = server.take_connection()
	requests.set_no_delay(true)
	server.stop()
	var version = Engine.get_version_info()
	var build = ", with checks" if OS.is_debug_build() else ""
	var made_with = "Godot %d.%d.%d, GDScript%s" % [version.major, version.minor, version.patch, build]
	requests.put_data(("godot\t%s\tsse2, floats\n" % made_with).to_ascii())
	var after = AfterUpdate.new()
	after.tree = self
	get_root().add_child(after)


# Behind this the engine tells all nodes that have moved where they are now, and then calls `_process`.
func _idle(_delta):
	while true:
		var head = requests.get_data(5)
		if head[0] != OK:
			end()
		var bytes = buffer(head[1])
		var request = char(bytes.get_u8())
		var count = bytes.get_u32()
		if request == "u":
			began = OS.get_ticks_usec()
			return
		match request:
			"b":
				answer(build(count))
			"l":
				listed = []
				for number in integers(count):
					listed.append(nodes[number])
				transforms = locals(count)
				answer(0)
			"s":
				answer(set_all())
			"r":
				answer(move(integers(count * 2)))
			"d":
				answer(remove(integers(count)))
			"m":
				requests.put_double(OS.get_static_memory_usage() - before)
			"w":
				requests.put_data(worlds())
			_:
				assert(false)


# The first node that the engine asks to do something in a frame: all others know their world matrices then.
class AfterUpdate:
	extends Node
	var tree

	func _process(_delta):
		if tree.began >= 0:
			var took = OS.get_ticks_usec() - tree.began
			tree.began = -1
			# The renderer takes over what it was told, which would be part of the next removal otherwise.
			VisualServer.force_draw(false)
			tree.answer(took)


# At once: to free a large tree takes a while, beside what another peer is timed at then.
func end():
	OS.kill(OS.get_process_id())


func answer(microseconds):
	requests.put_double(microseconds * 1e3)


func build(count):
	parents = integers(count)
	all = locals(count)
	# The first one takes its memory from the system.
	insert_all()
	nodes[0].free()
	nodes = []
	before = OS.get_static_memory_usage()
	var start = OS.get_ticks_usec()
	insert_all()
	return OS.get_ticks_usec() - start


func insert_all():
	for number in range(parents.size()):
		# Such a node asks to be told when it has moved, and tells the renderer its world matrix then. It has no mesh.
		var node = MeshInstance.new()
		node.transform = all[number]
		if number == 0:
			get_root().add_child(node)
		else:
			nodes[parents[number]].add_child(node)
		nodes.append(node)


func set_all():
	var start = OS.get_ticks_usec()
	for place in range(listed.size()):
		listed[place].transform = transforms[place]
	return OS.get_ticks_usec() - start


func move(pairs):
	var start = OS.get_ticks_usec()
	for place in range(0, pairs.size(), 2):
		var node = nodes[pairs[place]]
		node.get_parent().remove_child(node)
		nodes[pairs[place + 1]].add_child(node)
	return OS.get_ticks_usec() - start


func remove(tops):
	var start = OS.get_ticks_usec()
	for top in tops:
		nodes[top].free()
	return OS.get_ticks_usec() - start


# Three columns and the translation of each; zeros for what was removed.
func worlds():
	var bytes = StreamPeerBuffer.new()
	for number in range(nodes.size()):
		var world = REMOVED
		if is_instance_valid(nodes[number]):
			world = nodes[number].global_transform
		for column in [world.basis.x, world.basis.y, world.basis.z, world.origin]:
			bytes.put_float(column.x)
			bytes.put_float(column.y)
			bytes.put_float(column.z)
	return bytes.data_array


func buffer(data):
	var bytes = StreamPeerBuffer.new()
	bytes.data_array = data
	return bytes


func read(length):
	var data = requests.get_data(length)
	assert(data[0] == OK)
	return buffer(data[1])


func integers(count):
	var bytes = read(count * 4)
	var numbers = []
	for _place in range(count):
		numbers.append(bytes.get_u32())
	return numbers


# Local transforms; each comes as translation, rotation (x, y, z, w) and scale.
func locals(count):
	var bytes = read(count * LOCAL)
	var made = []
	for _place in range(count):
		var origin = vector(bytes)
		var x = bytes.get_float()
		var y = bytes.get_float()
		var z = bytes.get_float()
		var axes = Basis(Quat(x, y, z, bytes.get_float()))
		var scale = vector(bytes)
		made.append(Transform(Basis(axes.x * scale.x, axes.y * scale.y, axes.z * scale.z), origin))
	return made


func vector(bytes):
	var x = bytes.get_float()
	var y = bytes.get_float()
	return Vector3(x, y, bytes.get_float())
